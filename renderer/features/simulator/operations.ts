// The classes a call can be of. The list itself stands in the schema of Tool, whose module is too heavy for this page; a test holds the two together.

export const OPERATION_CLASSES = ['read', 'write', 'delete', 'admin'] as const;
