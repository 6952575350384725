import type { KubernetesObject, Values } from './render.ts';

/** The gateway can have a canary with a route only. */
export const HTTP_ROUTE: Values = { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } };

/** Values with a canary of tools, and further values for it. */
export function toolsCanary(canary: Values, further: Values = {}): Values {
  return { services: { tools: { canary, ...further } } };
}

/** The object with that kind and name. Throws if there is none. */
export function objectNamed(
  objects: readonly KubernetesObject[],
  kind: string,
  name: string,
): KubernetesObject {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** `kind name` of the objects, sorted. */
export function namesOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
}
