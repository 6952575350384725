import { run } from './kubernetes.ts';
import type { Namespace } from './kubernetes.ts';

const ADMIN_PORT = 9090;

/** The text of a pod's `/metrics`, through the API server. */
export function metricsOf(namespace: Namespace, pod: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace.name}/pods/${pod}:${String(ADMIN_PORT)}/proxy/metrics`;
  return run('kubectl', ['get', '--raw', path]);
}

/** The sum of a metric over its labels; undefined if the text does not have it. */
export function sumOf(text: string, metric: string): number | undefined {
  const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
  return values.length === 0 ? undefined : values.reduce((sum, [, value]) => sum + Number(value), 0);
}
