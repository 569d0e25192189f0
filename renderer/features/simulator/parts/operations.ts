// Classes of a call. The list itself is in the schema of Tool, whose module is too heavy for this page; a test keeps the two equal.

export const OPERATION_CLASSES = ['read', 'write', 'delete', 'admin'] as const;
