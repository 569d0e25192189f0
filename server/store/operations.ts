// Methods of a store made from a table with one row for each operation: a function of the statements and of the arguments.

/** Class whose methods run over prepared statements, or over a session. @public: the declarations of its subclasses name it. */
export abstract class OverStatements<Statements> {
  /** The statements, for one call. Throws after the end of the transaction or the store. */
  protected abstract use(): Statements;
}

/** A method of at most three arguments, as a function of the statements and of these. */
type Operation<Statements, Method> = Method extends (first: infer First, second: infer Second, third: infer Third) => Promise<infer Answer>
  ? (statements: Statements, ...args: [First, Second, Third]) => Answer | Promise<Answer>
  : never;

export type Operations<Statements, Methods> = { readonly [Name in keyof Methods]: Operation<Statements, Methods[Name]> };

/** A base class with a method for each row. Every method is async so that a failure is a rejection, whatever the engine. */
export function withOperations<Statements, Methods>(operations: Operations<Statements, Methods>) {
  abstract class Base extends OverStatements<Statements> {}
  for (const [name, operation] of Object.entries<(statements: Statements, ...args: unknown[]) => unknown>(operations as never)) {
    // Copying a list of arguments would cost each call a fifth of its time.
    const value: (this: Base, ...args: unknown[]) => Promise<unknown> = async function (first, second, third) {
      return operation(this.use(), first, second, third);
    };
    Object.defineProperty(Base.prototype, name, { value, configurable: true, writable: true });
  }
  return Base as abstract new () => OverStatements<Statements> & Methods;
}
