// A statement and where it runs: on any free connection, or on the one of a transaction. Independent of any schema.

export type SqlValue = string | number | null | readonly (string | null)[] | readonly number[];

/** Prepared by the server under its name the first time a connection runs it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Result<Row> {
  readonly rows: Row[];
  /** How many rows the statement touched. */
  readonly count: number;
  /** The command as the server reports it, `COMMIT` or `ROLLBACK` among them. */
  readonly command: string;
}

export interface Session {
  /** Rows are typed by the caller, who wrote the SQL. Rejects with the service's errors. */
  run<Row = never>(statement: Statement, values?: readonly SqlValue[]): Promise<Result<Row>>;
}

const named: Statement[] = [];

/** Gives a statement its name. Made once per text, when its module is loaded or a shape is first used. */
export function statement(text: string): Statement {
  const made = { name: `svc_${named.length + 1}`, text };
  named.push(made);
  return made;
}

/** Every statement made so far. */
export function allStatements(): readonly Statement[] {
  return named;
}

/** Makes the statement of each text once. */
export function statementCache(): (text: string) => Statement {
  const known = new Map<string, Statement>();
  return (text) => {
    const found = known.get(text) ?? statement(text);
    known.set(text, found);
    return found;
  };
}

/** The only row, or undefined. */
export async function one<Row>(result: Promise<Result<Row>>): Promise<Row | undefined> {
  return (await result).rows[0];
}
