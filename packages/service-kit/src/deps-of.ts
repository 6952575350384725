/** The dependencies that all of these functions, a union, take as their first argument. */
export type DepsOf<F extends (deps: never, ...rest: never) => unknown> = [F] extends [
  (deps: infer D, ...rest: never) => unknown,
]
  ? D
  : never;
