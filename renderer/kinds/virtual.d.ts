// The module that build/kind-table.ts makes: a list of KindSummary, whose type an ambient declaration cannot import.
declare module 'virtual:kind-table' {
  export const kindTable: unknown;
}
