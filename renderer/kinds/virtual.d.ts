// The module that build/kind-table.ts makes: a list of KindSummary and icons by kind, whose types an ambient declaration cannot import.
declare module 'virtual:kind-table' {
  export const kindTable: unknown;
  export const kindIcons: unknown;
}
