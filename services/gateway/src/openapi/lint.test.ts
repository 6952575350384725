import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
/** The document has about a megabyte. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
const gateway = join(here, '../..');

test('the printed document passes redocly’s recommended rules without a warning', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-openapi-'));
  const file = join(directory, 'openapi.json');
  const program = join(gateway, 'src/print-openapi.ts');
  const { stdout } = await run(process.execPath, [program, 'https://api.test.example'], {
    maxBuffer: MAX_DOCUMENT_BYTES,
  });
  await writeFile(file, stdout);
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const lint = await run(
    process.execPath,
    [join(dirname(manifest), 'bin/cli.js'), 'lint', file, '--config', join(gateway, 'redocly.yaml')],
    {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  expect(lint.stdout + lint.stderr).toContain('Your API description is valid');
  expect(lint.stdout + lint.stderr).not.toContain('warning');
  await rm(directory, { recursive: true });
});
