// Label of a case: a Task template that holds a named input of its system.

export const CASE_LABEL = 'svc.dev/case';
