import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXAMPLES_FOLDER, ERRORS_FILE } from '@fairlead-services/gateway/openapi/recorded-examples';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { WITH_CANARY } from '../../setup/canary-rules.ts';
import { startStack } from '../../setup/start-stack.ts';
import type { Send } from './plan-run.ts';
import { recorded, runExamples } from './record.ts';

/** `npm run examples`: starts a fresh stack, sends the examples of the API reference and writes the responses. */
const { stack, stop } = await startStack({ env: WITH_CANARY });
try {
  const send: Send = async (method, path, { apiKey, headers, raw }) => {
    const answer = await fetch(new URL(path, stack.baseUrl), {
      method,
      headers: { ...headers, ...(apiKey !== null && { 'x-api-key': apiKey }) },
      ...(raw !== undefined && { body: raw }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const startedAt = new Date();
  const run = await runExamples({ stack, mark: '', send });
  await write(recorded(run, startedAt));
  console.log(`${run.exchanges.size} examples are written to ${EXAMPLES_FOLDER}`);
} finally {
  await stop();
}

async function write({ operations, errors }: ReturnType<typeof recorded>): Promise<void> {
  await rm(EXAMPLES_FOLDER, { recursive: true, force: true });
  await mkdir(EXAMPLES_FOLDER);
  const files = new Map<string, Record<string, unknown>>([[ERRORS_FILE, errors]]);
  for (const { operationId, tags } of routeTable) {
    const name = `${(tags[0] ?? 'api').toLowerCase().replaceAll(' ', '-')}.json`;
    const file = files.get(name) ?? {};
    files.set(name, Object.assign(file, { [operationId]: operations[operationId] }));
  }
  for (const [name, content] of files) {
    await writeFile(join(EXAMPLES_FOLDER, name), `${JSON.stringify(content, null, 2)}\n`);
  }
}
