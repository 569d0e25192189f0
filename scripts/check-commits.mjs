// Checks the subjects and bodies of commits since the newest release tag, or since BASE while there is none.
// A shallow clone or a directory outside git has no history to check: the check reports that and passes.
import { execFileSync } from 'node:child_process';

/** Commits up to this one are older than the rules. */
const BASE = 'd45a563e9';
const RELEASE_TAG = 'v[0-9]*';
const SUBJECT_MAX_CHARS = 72;
/** A commit with more changed lines needs a body. */
const LINES_WITHOUT_BODY_MAX = 20;
/** Generated files and prose: their changes need no body. */
const NOT_COUNTED = /^docs\/|\.md$|(^|\/)package-lock\.json$/;
const SUBJECT = /^([a-z0-9][a-z0-9 ,./-]*): (\S+)/;
/** First words that begin no imperative: articles, pronouns, prepositions, and verbs in another form. */
const NO_IMPERATIVE =
  /^(an?|the|one|it|its|this|that|these|those|what|whatever|who|whoever|whose|how|where|when|while|of|for|from|with|without|there|no|each|every|all|both|more|new)$|[^su]s$|ed$|ing$/i;
const IMPERATIVE = /^(embed|feed|need|seed|shed|speed|exceed|proceed|bring|ping|string|bias|alias)$/i;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024 });
const attempt = (...args) => {
  try {
    return git(...args).trim();
  } catch {
    return undefined;
  }
};

/** Start of the checked range, or the reason why there is none. */
function startOfRange() {
  const shallow = attempt('rev-parse', '--is-shallow-repository');
  if (shallow === undefined) return { skipped: 'this directory is no git repository' };
  if (shallow === 'true') return { skipped: 'this clone is shallow' };
  const tag = attempt('describe', '--tags', '--abbrev=0', '--match', RELEASE_TAG);
  if (tag !== undefined && tag !== '') return { from: tag };
  if (attempt('merge-base', '--is-ancestor', BASE, 'HEAD') === undefined) return { skipped: `the history does not hold ${BASE}` };
  return { from: BASE };
}

function subjectProblems(subject) {
  const match = SUBJECT.exec(subject);
  const sentence = match?.[2] ?? '';
  return [
    ...(match === null ? ['begins with no area, such as "store: "'] : []),
    ...(match !== null && NO_IMPERATIVE.test(sentence) && !IMPERATIVE.test(sentence)
      ? [`"${sentence}" begins no imperative sentence`]
      : []),
    ...(subject.length > SUBJECT_MAX_CHARS ? [`has ${subject.length} characters, more than ${SUBJECT_MAX_CHARS}`] : []),
    ...(/ and |;/.test(subject) ? ['holds " and " or ";": make it two commits'] : []),
  ];
}

function changedLines(commit) {
  const rows = git('show', '--numstat', '--format=', '-M', commit).trim().split('\n');
  return rows
    .map((row) => row.split('\t'))
    .filter(([, , path]) => path !== undefined && !NOT_COUNTED.test(path))
    .reduce((sum, [added, deleted]) => sum + (Number(added) || 0) + (Number(deleted) || 0), 0);
}

function problemsOf(commit) {
  const [subject, ...rest] = git('show', '-s', '--format=%B', commit).trim().split('\n');
  const lines = changedLines(commit);
  const bodyMissing = rest.join('').trim() === '' && lines > LINES_WITHOUT_BODY_MAX;
  const problems = [
    ...subjectProblems(subject),
    ...(bodyMissing ? [`changes ${lines} lines and has no body: say the problem and why this way`] : []),
  ];
  return problems.map((problem) => `${commit.slice(0, 9)} ${subject}\n  ${problem}`);
}

const range = startOfRange();
if (range.skipped !== undefined) {
  console.log(`skipped: ${range.skipped}, so commits are not checked`);
} else {
  const commits = git('rev-list', '--no-merges', `${range.from}..HEAD`).split('\n').filter(Boolean);
  const problems = commits.flatMap(problemsOf);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
