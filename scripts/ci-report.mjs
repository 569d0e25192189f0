// Reads the reports that Vitest and Playwright write, and returns the tests that failed and the flaky ones: `file › title: first lines of its error`.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const ERROR_MAX = 400;

// eslint-disable-next-line no-control-regex -- colours of a terminal
const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, '');
const brief = (text = '') => {
  const lines = plain(text)
    .replace(/ class="[^"]*"/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at .*node_modules/.test(line));
  return lines.slice(0, 6).join(' | ').slice(0, ERROR_MAX);
};

/**
 * Tests of one run.
 * @typedef {{ file: string, title: string, error: string }} Finding
 * @typedef {{ failed: Finding[], flaky: Finding[] }} Findings
 */

/** Files that had begun, or never did, when their worker ended: their tests wait still. Vitest counts them as passed. */
function unfinished({ testResults }, root) {
  const waits = ({ status }) => status === 'pending';
  return testResults
    .filter(({ status, assertionResults }) => status === 'passed' && (assertionResults.length === 0 || assertionResults.some(waits)))
    .map(({ name, assertionResults }) => ({
      file: relative(root, name),
      title: assertionResults.find(waits)?.fullName ?? 'the file itself',
      error: 'did not end',
    }));
}

/** A file can fail with no failed test of its own: its imports or hooks threw. */
function fromVitest(report, root) {
  const failed = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(root, name);
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      if (tests.length === 0) return [{ file, title: 'the file itself', error: brief(message) }];
      return tests.map(({ fullName, failureMessages }) => ({ file, title: fullName, error: brief(failureMessages[0]) }));
    });
  return { failed: [...failed, ...unfinished(report, root)], flaky: [] };
}

function fromPlaywright(report) {
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
  const tests = report.suites.flatMap(specsOf).flatMap(({ file, title, tests: runs }) =>
    runs.map(({ status, results }) => {
      const error = results.find((result) => result.error !== undefined)?.error?.message;
      return { status, finding: { file, title, error: brief(error) } };
    }),
  );
  const withStatus = (wanted) => tests.filter(({ status }) => status === wanted).map(({ finding }) => finding);
  const outside = (report.errors ?? []).map(({ message }) => ({ file: 'the run itself', title: '', error: brief(message) }));
  return { failed: [...withStatus('unexpected'), ...outside], flaky: withStatus('flaky') };
}

/**
 * Findings of a report. None where the report is missing, as after a crash of the runner.
 * @param {string} path
 * @param {string} root folder that file names are relative to
 * @returns {Findings}
 */
export function readReport(path, root) {
  if (!existsSync(path)) return { failed: [], flaky: [] };
  const report = JSON.parse(readFileSync(path, 'utf8'));
  return 'testResults' in report ? fromVitest(report, root) : fromPlaywright(report);
}

export const lineOf = ({ file, title, error }) => `${file} › ${title}\n      ${error}`;
