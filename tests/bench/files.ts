// `npm run bench -- files`: uploads and downloads a file of 50 MiB, and prints by how much the resident memory of tools and the gateway
// rises. Goal: at most 32 MB for tools.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { processOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    mebibytes: { type: 'string', default: '50' },
  },
});
const MIB = 1024 * 1024;
const GOAL_MEGABYTES = 32;
const SERVICES = ['tools', 'gateway'] as const;
type Rise = Readonly<Record<(typeof SERVICES)[number], number>>;

/** Resident memory in megabytes: current (`VmRSS`), or maximum since the last reset (`VmHWM`); proc(5). */
function megabytes(id: number, member: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${id}/status`, 'utf8');
  const kibibytes = new RegExp(`^${member}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`Process ${id} has no ${member}.`);
  return (Number(kibibytes) * 1_024) / 1_000_000;
}

/** By how much `work` raised each service's resident memory at its peak. */
async function riseDuring(stack: DevStack, work: () => Promise<void>): Promise<Rise> {
  const ids = SERVICES.map((name) => processOf(stack, `services/${name}/src/main.ts`));
  const before = ids.map((id) => {
    // Resets the peak of the resident memory (VmHWM).
    writeFileSync(`/proc/${id}/clear_refs`, '5');
    return megabytes(id, 'VmRSS');
  });
  await work();
  const [tools = 0, gateway = 0] = ids.map((id, index) => megabytes(id, 'VmHWM') - (before[index] ?? 0));
  return { tools, gateway };
}

const { stack, stop } = await givenOrStartedStack();
const key = { 'x-api-key': stack.account.apiKey };

interface FileRecord {
  readonly fileId: string;
  readonly url: string;
  readonly sha256: string;
}

async function upload(body: Uint8Array<ArrayBuffer> | FormData): Promise<FileRecord> {
  const headers = body instanceof FormData ? key : { ...key, 'content-type': 'application/octet-stream' };
  const answer = await fetch(new URL('/v1/files', stack.baseUrl), { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  // The contract defines these members.
  return (await answer.json()) as FileRecord;
}

async function download(url: string): Promise<string> {
  const { body } = await fetch(url);
  const hash = createHash('sha256');
  // A response's body consists of bytes.
  for await (const chunk of body ?? []) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

function form(content: Uint8Array<ArrayBuffer>): FormData {
  const data = new FormData();
  data.set('file', new Blob([content]), 'file.bin');
  return data;
}

async function remove({ fileId }: FileRecord): Promise<void> {
  await fetch(new URL(`/v1/files/${fileId}`, stack.baseUrl), { method: 'DELETE', headers: key });
}

try {
  const content = randomBytes(Number(values.mebibytes) * MIB);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const small = await upload(randomBytes(MIB));
  await download(small.url);
  await remove(small);

  const rises: (readonly [string, Rise])[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    let file: FileRecord | undefined;
    const isForm = round % 2 === 0;
    const sent = isForm ? form(content) : content;
    const name = isForm ? 'in, as a form' : 'in, as it is';
    rises.push([name, await riseDuring(stack, async () => void (file = await upload(sent)))]);
    if (file?.sha256 !== sha256) throw new Error('The file arrived as another one.');
    const { url } = file;
    let received = '';
    rises.push(['out', await riseDuring(stack, async () => void (received = await download(url)))]);
    if (received !== sha256) throw new Error('The file left as another one.');
    await remove(file);
  }
  const most = Math.max(...rises.map(([, { tools }]) => tools));
  const lines = rises.map(([name, rise]) => [name, ...SERVICES.map((service) => rise[service].toFixed(1))]);
  const title = `${values.mebibytes} MiB, resident memory at most above before, MB`;
  process.stdout.write(`${table([title, ...SERVICES], lines)}\n`);
  process.stdout.write(`tools at most ${most.toFixed(1)} MB (goal: ${GOAL_MEGABYTES})\n`);
} finally {
  await stop();
}
