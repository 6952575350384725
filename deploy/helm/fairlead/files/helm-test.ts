// The program of `helm test`. A new Service answers some seconds after its pods are ready, so each check is retried until it passes.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const { GATEWAY_URL, TIMEOUT_SECONDS } = process.env;
const KEY_FILE = '/etc/fairlead/secrets/OPERATOR_KEY';
// Well-formed, so that the identity service looks it up.
const UNKNOWN_KEY = 'fairlead_000000000000000000000000000000002wjyrI';
const giveUp = AbortSignal.timeout(Number(TIMEOUT_SECONDS) * 1000);

async function check(path: string, status: number, key: string): Promise<void> {
  for (let last = 'no answer'; ;) {
    try {
      const response = await fetch(`${GATEWAY_URL}${path}`, {
        headers: { 'x-api-key': key },
        signal: giveUp,
      });
      last = `${String(response.status)} ${(await response.text()).slice(0, 300)}`;
      if (response.status === status) {
        process.stdout.write(`${path}: ${String(status)}\n`);
        return;
      }
    } catch (error) {
      if (!giveUp.aborted) last = String(error instanceof Error ? (error.cause ?? error) : error);
    }
    if (giveUp.aborted) throw new Error(`${path}: expected ${String(status)}, got ${last}`);
    await delay(1000);
  }
}

await check('/readyz', 200, UNKNOWN_KEY);
await check('/v1/auth/whoami', 401, UNKNOWN_KEY);
if (existsSync(KEY_FILE)) {
  await check('/operator/v1/accounts?top=1', 200, readFileSync(KEY_FILE, 'utf8').trimEnd());
}
