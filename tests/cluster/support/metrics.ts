import { run } from './kubernetes.ts';
import type { Namespace } from './kubernetes.ts';

const ADMIN_PORT = 9090;

/** Path of a pod's `/metrics` at the API server. */
export function metricsPath(namespace: Namespace, pod: string): string {
  return `/api/v1/namespaces/${namespace.name}/pods/${pod}:${String(ADMIN_PORT)}/proxy/metrics`;
}

/** The text of a pod's `/metrics`, read through the API server. */
export function metricsOf(namespace: Namespace, pod: string): Promise<string> {
  return run('kubectl', ['get', '--raw', metricsPath(namespace, pod)]);
}

/** The sum of a metric over its series, or over those with the given labels; undefined if there are none. */
export function sumOf(
  text: string,
  metric: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const values = [...text.matchAll(new RegExp(`^${metric}(\\{[^}]*\\})? (\\S+)$`, 'gm'))].filter(
    ([, found = '']) => wanted.every((label) => found.includes(label)),
  );
  return values.length === 0 ? undefined : values.reduce((sum, [, , value]) => sum + Number(value), 0);
}
