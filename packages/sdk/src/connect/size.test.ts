import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { expect, it } from 'vitest';

const MAX_BYTES = 4096;

it('the browser widget is at most 4 kB, minified and compressed, and loads nothing else', async () => {
  const { output } = await build({
    input: fileURLToPath(new URL('../connect.ts', import.meta.url)),
    platform: 'browser',
    output: { format: 'esm', minify: true },
    write: false,
    logLevel: 'silent',
  });
  expect(output).toHaveLength(1);
  const [{ code, imports, exports }] = output;
  expect([imports, exports.toSorted()]).toEqual([[], ['ConnectError', 'openConnect', 'resumeConnect']]);
  expect(gzipSync(code).length).toBeLessThanOrEqual(MAX_BYTES);
});
