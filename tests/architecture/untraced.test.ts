import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The OpenTelemetry modules that each of these modules is the first to load, with all its imports. One process loads them in order. */
async function loadedWith(modules: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = {};
    let current;
    registerHooks({
      load(url, context, next) {
        if (url.includes('opentelemetry')) loaded[current].push(url);
        return next(url, context);
      },
    });
    for (const [name, module] of Object.entries(${JSON.stringify(modules)})) {
      loaded[current = name] = [];
      await import(module);
    }
    console.log(JSON.stringify(loaded));
    process.exit(0);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
  });
  return JSON.parse(stdout) as Record<string, string[]>;
}

test('no service loads anything of OpenTelemetry with its code: no library of it does either', async () => {
  const services = readdirSync(join(ROOT, 'services'));
  const apps = services.map((service) => [service, `${ROOT}services/${service}/src/app.ts`] as const);
  const nothing = services.map((service) => [service, []]);
  expect(await loadedWith(Object.fromEntries(apps))).toEqual(Object.fromEntries(nothing));
});

test('and what loads it is seen', async () => {
  const { telemetry } = await loadedWith({
    telemetry: `${ROOT}packages/service-kit/src/telemetry/open-telemetry.ts`,
  });
  expect(telemetry?.some((url) => url.includes('/@opentelemetry/sdk-trace/'))).toBe(true);
});
