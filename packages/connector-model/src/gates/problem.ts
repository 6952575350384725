/** A problem of a connector; `path` starts at the connector's root. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A path in dotted notation, such as `tools[2].request.url`. */
export function pathText(path: Problem['path']): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${String(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** The repeated values in `values`, each with the index of its second and later occurrences. */
export function duplicates<T>(
  values: readonly T[],
): readonly { readonly index: number; readonly value: T }[] {
  const seen = new Set<T>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [{ index, value }];
    seen.add(value);
    return [];
  });
}

/** Prefixes a problem's path with `prefix`, the path of the part in which it was found. */
export function under(prefix: Problem['path']): (problem: Problem) => Problem {
  return ({ path, message }) => ({ path: [...prefix, ...path], message });
}
