import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@fairlead/local-stores/run-command';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, test } from 'vitest';

async function addressOf(listen: string): Promise<string> {
  const script = join(await temporaryFolder(), 'server.ts');
  await writeFile(
    script,
    `import { createServer } from 'node:http';
     const server = createServer();
     server.${listen};
     server.once('listening', () => { console.log(server.address().address); server.close(); });`,
  );
  const preload = join(import.meta.dirname, 'loopback-only.ts');
  return (await runCommand(process.execPath, ['--import', preload, script])).stdout.trim();
}

test.each(['listen(0)', "listen('0', () => undefined)", 'listen(0, () => undefined)'])(
  'a server that calls %s listens on loopback only',
  async (listen) => {
    expect(await addressOf(listen)).toBe('127.0.0.1');
  },
);

test('a server that names its address keeps it', async () => {
  expect(await addressOf("listen(0, '127.0.0.2')")).toBe('127.0.0.2');
});
