import { expect, onTestFinished, test } from 'vitest';
import { waitForPort } from '../ports.ts';
import { startContainerNats } from './container-nats.ts';
import { startTestNats } from './nats.ts';
import { temporaryFolder } from './temporary-folder.ts';

const engine = await startContainerNats();

test.runIf(engine !== undefined)('where a Docker engine answers, the container takes clients', async () => {
  onTestFinished(() => engine?.stop());
  const { port } = new URL(engine?.url ?? '');
  await expect(waitForPort(Number(port), AbortSignal.timeout(90_000))).resolves.toBeUndefined();
});

test.runIf(engine === undefined)(
  'where no Docker engine answers, a binary serves the tests, and a line says so',
  async () => {
    const before = process.env['TEST_CONTAINERS'];
    process.env['TEST_CONTAINERS'] = '1';
    onTestFinished(() => {
      if (before === undefined) delete process.env['TEST_CONTAINERS'];
      else process.env['TEST_CONTAINERS'] = before;
    });
    const lines: string[] = [];
    const nats = await startTestNats({
      dataDirectory: await temporaryFolder(),
      log: (line) => lines.push(line),
    });
    onTestFinished(() => nats.stop());
    expect(lines[0]).toContain('no Docker engine answers');
    expect(nats.url).toContain('nats://127.0.0.1:');
  },
);
