// Finds messages and descriptions of server, svcctl and shared code that break the language rules of CONTRIBUTING.md.
import { REVISION_REQUEST } from '../../server/engine/core/review-messages.ts';
import { BANNED, type Finding } from './language.ts';
import { screenTexts } from './screen-texts.ts';
import { files, read } from './tree.ts';

/** Constructions that need a second reading, and other words for the type string. */
const UNIDIOMATIC =
  /\b(became of|becomes of|for good|must be (a )?texts?|another one|be asked|(is|are) no (valid|[A-Z]\w+|name|text|number|list|kind|file|part))\b|, also (when|while|after|where|by|in|of)\b/;
/** A sentence that begins with "there" or "it" may end with "is no …". */
const EXISTENCE = /\b([Tt]here|[Ii]t) (is|are) no\b/g;

export const breaksServiceRules = (text: string): boolean => BANNED.test(text) || UNIDIOMATIC.test(text.replace(EXISTENCE, ''));

const SERVICE = /^(server|shared)\/.*\.ts$/;
const NO_SERVICE = /\.(test|d)\.ts$|\/(testing|dist)\/|-fixture\.ts$/;

export const serviceFindings = (): Finding[] =>
  files(SERVICE)
    .filter((path) => !NO_SERVICE.test(path))
    .map((path) => ({ path, content: read(path) }))
    // Parsing takes most of the time.
    .filter(({ content }) => breaksServiceRules(content))
    .flatMap(({ path, content }) => screenTexts(path, content))
    .filter(({ text }) => text !== REVISION_REQUEST && breaksServiceRules(text));
