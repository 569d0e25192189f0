// A service laid over another: some members are replaced, all others are those of the service below. Independent of any service.

type Method = (...args: readonly unknown[]) => unknown;

/** Names of the members of an object, those of its classes included. */
function* memberNames(object: object): Generator<string> {
  for (let each = object; each !== Object.prototype; each = Object.getPrototypeOf(each) as object)
    for (const name of Object.getOwnPropertyNames(each)) if (name !== 'constructor') yield name;
}

/**
 * The methods of the service may be those of a class, which need it as `this`: they are bound once. `around` makes the methods that callers get
 * from those that are not replaced.
 */
export function overlay<Service extends object>(
  service: Service,
  replaced: Partial<Service>,
  around = (method: Method): Method => method,
): Service {
  const members = service as Record<string, unknown>;
  const over: Record<string, unknown> = { ...replaced };
  for (const name of memberNames(service)) {
    if (Object.hasOwn(over, name)) continue;
    const member = members[name];
    if (typeof member === 'function') over[name] = around((member as Method).bind(service));
    else Object.defineProperty(over, name, { enumerable: true, get: () => members[name] });
  }
  return over as Service;
}
