// The queue of Tasks.

/** An item's key is the Task's uid, which is also the name of its journal. */
export const TASK_QUEUE = 'task';
