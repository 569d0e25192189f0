// Limits of experiments, without the schemas: pages read them too.

/** Cases × variants × repeats. */
export const EXPERIMENT_RUNS_MAX = 1_000;
export const EXPERIMENT_CASES_MAX = 200;
export const EXPERIMENT_VARIANTS_MAX = 10;
export const EXPERIMENT_REPEATS_MAX = 10;
export const EXPERIMENT_PARALLELISM_DEFAULT = 4;
export const EXPERIMENT_PARALLELISM_MAX = 50;
/** An experiment of more runs has a budget. */
export const EXPERIMENT_RUNS_WITHOUT_BUDGET = 100;
/** Surfaces ask before they start more runs than this. */
export const EXPERIMENT_RUNS_UNCONFIRMED_MAX = 20;
/** UTF-8 bytes of one variant or of one case as JSON: each of their runs has a copy. */
export const EXPERIMENT_PART_MAX_BYTES = 128 * 1024;
export const EXPERIMENT_NAME_MAX = 100;
/** Characters of an output and of an error that a result keeps. */
export const RESULT_TEXT_MAX = 8_000;
export const RATING_NOTE_MAX = 4_000;
/** Name of the only variant of an experiment that declares none. */
export const TODAY_VARIANT = 'today';
