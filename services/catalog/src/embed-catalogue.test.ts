import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { expect, test } from 'vitest';
import { testConnector, testTool } from './testing/connectors.ts';

test('the texts of a catalogue get vectors once, in a file beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-embedded-'));
  try {
    const catalogue = join(folder, 'catalogue.json');
    const tools = [testTool('crm-create-invoice'), testTool('crm-list-contacts')];
    const script = fileURLToPath(new URL('embed-catalogue.ts', import.meta.url));
    const embed = async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, [script, catalogue])).stdout;
    await writeCatalogueFile(catalogue, [testConnector('crm', { tools })]);
    expect(await embed()).toBe('3 texts of the catalogue have vectors, 3 of them new\n');
    await writeCatalogueFile(catalogue, [
      testConnector('crm', { tools: [...tools, testTool('crm-get-contact')] }),
    ]);
    expect(await embed()).toBe('4 texts of the catalogue have vectors, 1 of them new\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
