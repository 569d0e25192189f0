// The module that build/kind-table.ts makes: a list of KindSummary, icons by kind and StoredShapes by kind, whose types an ambient declaration cannot import.
declare module 'virtual:kind-table' {
  export const kindTable: unknown;
  export const kindIcons: unknown;
  export const storedShapes: unknown;
}
