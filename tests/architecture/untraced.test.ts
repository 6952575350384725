import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The OpenTelemetry modules loaded by a module and all its imports. */
async function loadedWith(module: string): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(module)});
    console.log(JSON.stringify(loaded.filter((url) => url.includes('opentelemetry'))));
    process.exit(0);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
  });
  return JSON.parse(stdout) as string[];
}

test.each(readdirSync(join(ROOT, 'services')))(
  '%s loads nothing of OpenTelemetry with its code: no library of it does either',
  async (service) => {
    expect(await loadedWith(`${ROOT}services/${service}/src/app.ts`)).toEqual([]);
  },
);

test('and what loads it is seen', async () => {
  const loaded = await loadedWith(`${ROOT}packages/service-kit/src/telemetry/open-telemetry.ts`);
  expect(loaded.some((url) => url.includes('/@opentelemetry/sdk-trace/'))).toBe(true);
});
