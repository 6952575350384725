const TIMEOUT_MS = 4_000;

/** Readiness addresses (2xx when ready) of programs without the health service. */
const PAGES: Readonly<Record<string, string>> = { gateway: '/readyz', 'sandbox-crm': '/healthz' };

/** Whether the program `name` on this container's `port` is ready for requests. Never rejects. */
export async function isHealthy(name: string, port: string): Promise<boolean> {
  const page = PAGES[name];
  const base = `http://127.0.0.1:${port}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    if (page !== undefined) return (await fetch(`${base}${page}`, { signal })).ok;
    const response = await fetch(`${base}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal,
    });
    const health: unknown = await response.json();
    return typeof health === 'object' && health !== null && 'status' in health && health.status === 'SERVING';
  } catch {
    return false;
  }
}
