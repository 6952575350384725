import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileLabel } from '../domain/file.ts';
import { readUpload } from './read-upload.ts';

interface Seen {
  readonly label: FileLabel;
  readonly bytes: Buffer;
}

const outcomes: (Seen | ApiError)[] = [];
const server = createServer((request, response) => {
  const name = new URL(request.url ?? '', 'http://x').searchParams.get('name') ?? undefined;
  readUpload(request, name, async ({ label, content }) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    return { label, bytes: Buffer.concat(pieces) };
  })
    .then(
      (seen) => outcomes.push(seen),
      (error: unknown) => outcomes.push(error as ApiError),
    )
    .finally(() => {
      request.resume();
      response.end();
    });
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

async function send(
  body: string | Buffer,
  headers: Record<string, string>,
  path = '/',
): Promise<Seen | ApiError | undefined> {
  const { port } = server.address() as AddressInfo;
  // A new socket per request: on a busy machine the server may close an idle one while a large body is built.
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, 'end');
  return outcomes.pop();
}

const FORM = { 'content-type': 'multipart/form-data; boundary=x' };
const part = (head: string, content: string): string =>
  `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const END = '--x--\r\n';

test('the part file of a form, wherever it is, is the file', async () => {
  const body = `${part('name="a"', '1')}${part('name="other"; filename="o"', 'no')}${part('name="file"; filename="dir/ü.txt"\r\ncontent-type: text/css', 'yes')}${END}`;
  expect(await send(body, FORM)).toEqual({
    label: { name: 'ü.txt', contentType: 'text/css' },
    bytes: Buffer.from('yes'),
  });
});

test('a name in the address comes before that of the form or header', async () => {
  const disposition = {
    'content-type': 'a/b',
    'content-disposition': 'attachment; filename="a \\"b\\".txt"',
  };
  expect(await send('x', disposition)).toMatchObject({ label: { name: 'a "b".txt', contentType: 'a/b' } });
  expect(await send('x', disposition, '/?name=mine')).toMatchObject({ label: { name: 'mine' } });
  expect(await send('x', { 'content-type': 'nonsense' }, '/?name=..')).toMatchObject({
    label: { name: 'file', contentType: 'application/octet-stream' },
  });
});

test.each([
  [
    'two files',
    `${part('name="file"; filename="a"', '1')}${part('name="file"; filename="b"', '2')}${END}`,
    'VALIDATION_ERROR',
  ],
  ['no file', `${part('name="a"', '1')}${END}`, 'VALIDATION_ERROR'],
  [
    'a form that ends in its file',
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    'MALFORMED_BODY',
  ],
  ['a form that ends before', '--x\r\n', 'MALFORMED_BODY'],
  ['what is no form', 'hello', 'MALFORMED_BODY'],
])('%s is refused', async (_what, body, code) => {
  for (let round = 0; round < 3; round += 1) expect(await send(body, FORM)).toMatchObject({ code });
});

test('a form without a boundary is refused', async () => {
  expect(await send('x', { 'content-type': 'multipart/form-data' })).toMatchObject({
    code: 'MALFORMED_BODY',
  });
});

test('a file above 50 MiB in a form is refused, one of 50 MiB is not', async () => {
  const most = 'x'.repeat(50 * 1024 * 1024);
  const over = await send(part('name="file"; filename="a"', `${most}x`) + END, FORM);
  expect(over instanceof ApiError && over.code).toBe('PAYLOAD_TOO_LARGE');
  const taken = await send(part('name="file"; filename="a"', most) + END, FORM);
  expect(taken !== undefined && 'bytes' in taken && taken.bytes.length).toBe(most.length);
});
