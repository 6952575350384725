/** The combined dependencies (first arguments) of all functions in a union. */
export type DepsOf<F extends (deps: never, ...rest: never) => unknown> = [F] extends [
  (deps: infer D, ...rest: never) => unknown,
]
  ? D
  : never;
