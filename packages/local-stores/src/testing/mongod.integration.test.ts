import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { startContainerMongod } from './container-mongod.ts';
import { startTestMongod } from './mongod.ts';
import { temporaryFolder } from './temporary-folder.ts';

const engine = await startContainerMongod();

test.runIf(engine !== undefined)('where a Docker engine answers, the container takes writes', async () => {
  onTestFinished(() => engine?.stop());
  const client = new MongoClient(engine?.uri ?? '');
  onTestFinished(() => client.close());
  await expect(client.db('test').collection('things').insertOne({})).resolves.toMatchObject({
    acknowledged: true,
  });
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
    const mongod = await startTestMongod({
      dataDirectory: await temporaryFolder(),
      log: (line) => lines.push(line),
    });
    onTestFinished(() => mongod.stop());
    expect(lines[0]).toContain('no Docker engine answers');
    expect(mongod.uri).toContain('mongodb://127.0.0.1:');
  },
);
