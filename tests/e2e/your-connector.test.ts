import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@fairlead/local-stores/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fence, fences } from '../setup/fences.ts';
import { startStack } from '../setup/start-stack.ts';
import type { StartedStack } from '../setup/start-stack.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';

const PAGE_PORT = '4020';
const port = String(await freePort());
const ownPort = (block: string): string => block.replaceAll(PAGE_PORT, port);

let folder: string;
let started: StartedStack;
let checkout: Awaited<ReturnType<typeof linkedCheckout>>;

/** The stack as the page starts it: with the reader's folder of connectors. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-your-connector-'));
  await mkdir(join(folder, 'team-notes'));
  const manifest = ownPort(await fence('docs/your-connector.md', 'yaml your-connector-manifest'));
  await writeFile(join(folder, 'team-notes/connector.yaml'), manifest);
  started = await startStack({ env: { FURTHER_CONNECTORS: folder } });
  checkout = await linkedCheckout(started.stack);
  await mkdir(join(checkout.path, 'my-connectors/team-notes'), { recursive: true });
  await writeFile(join(checkout.path, 'my-connectors/team-notes/connector.yaml'), manifest);
  const api = ownPort(await fence('docs/your-connector.md', 'js your-connector-api'));
  await writeFile(join(checkout.path, 'notes.mjs'), api);
}, 600_000);
afterAll(async () => {
  await checkout.remove();
  await started.stop();
  await rm(folder, { recursive: true, force: true });
});

it('docs/your-connector.md, pasted into bash, ends with an event and an imported application', async ({
  skip,
}) => {
  skip(!isInstalled('bash'), 'bash or script is not installed: the guide is not pasted');
  const shell = await PastingShell.open('bash', checkout.path);
  try {
    const paste = async (block: string): Promise<string> => shell.paste(ownPort(block));
    await paste(await fence('docs/your-connector.md', 'sh your-connector-run'));
    expect(await paste(await fence('docs/your-connector.md', 'sh your-connector-lint'))).toContain(
      '1 connectors with 2 tools',
    );
    const printed: string[] = [];
    for (const block of await fences('docs/your-connector.md', 'sh your-connector'))
      printed.push(await paste(block));
    const [called, fired, imported] = printed;
    expect(called).toMatch(/"isSuccess":true,"output":\{"id":"1","text":"Water the plants"/);
    expect(called).toMatch(/^Water the plants$/m);
    expect(fired).toMatch(/^Order more soil$/m);
    expect(imported).toMatch(/^It is deprecated\..*\nActive\n2 notes$/m);
    expect(printed.join('')).not.toContain('"errorCode"');
  } finally {
    await shell.close();
  }
});
