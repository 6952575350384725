import { afterEach, describe, expect, it } from 'vitest';
import { Fairlead, FairleadError } from './fairlead.ts';
import type { Content, UploadFileParams } from './fairlead.ts';
import { refusal, startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(answer: Parameters<typeof startApiServer>[0]): Promise<Fairlead> {
  server = await startApiServer(answer);
  return new Fairlead({ baseUrl: server.url, apiKey: 'fairlead_key' });
}

const FILE = {
  fileId: 'file_1',
  name: 'a.txt',
  url: 'https://public.example/v1/files/file_1/content?token=t%2B1',
};
const UNAVAILABLE = refusal(503, 'UNAVAILABLE', { 'retry-after': '0' });
const stream = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

describe('an upload', () => {
  it.each<[string, Content, UploadFileParams, string, string]>([
    ['bytes', new TextEncoder().encode('content'), {}, '/v1/files', 'application/octet-stream'],
    ['a blob', new Blob(['content'], { type: 'text/plain' }), {}, '/v1/files', 'text/plain'],
    [
      'a file',
      new File(['content'], 'ä b.txt', { type: 'text/plain' }),
      {},
      '/v1/files?name=%C3%A4+b.txt',
      'text/plain',
    ],
    [
      'a stream',
      stream('content'),
      { name: 'c.csv', contentType: 'text/csv' },
      '/v1/files?name=c.csv',
      'text/csv',
    ],
  ])('of %s sends the content as it is, with its name and type', async (_, content, params, path, type) => {
    const client = await clientOf(() => ({ status: 201, body: FILE }));
    expect(await client.files.upload(content, params)).toEqual(FILE);
    expect(server?.received).toMatchObject([
      {
        method: 'POST',
        path,
        body: 'content',
        headers: { 'content-type': type, accept: 'application/json' },
      },
    ]);
    expect(server?.received[0]?.headers).toHaveProperty('idempotency-key');
  });

  it('is repeated with the same key, except for a stream, which has been read', async () => {
    const client = await clientOf((_request, index) =>
      index === 0 ? UNAVAILABLE : { status: 201, body: FILE },
    );
    expect(await client.files.upload(new Blob(['content']))).toEqual(FILE);
    const [first, second] = server?.received ?? [];
    expect(second?.body).toBe('content');
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    await server?.close();

    const another = await clientOf(() => UNAVAILABLE);
    await expect(another.files.upload(stream('content'))).rejects.toBeInstanceOf(FairleadError);
    expect(server?.received).toHaveLength(1);
  });

  it('of a stream that the caller’s signal ends cancels the stream', async () => {
    const control = new AbortController();
    const reason = new Error('enough');
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        isCancelled = true;
      },
    });
    const client = await clientOf(() => ({ status: 201 }));
    const upload = client.files.upload(endless, {}, { signal: control.signal });
    setImmediate(() => control.abort(reason));
    await expect(upload).rejects.toBe(reason);
    await expect.poll(() => isCancelled).toBe(true);
  });
});

describe('a download', () => {
  it('reads the content at the client’s own address, with the token of the record', async () => {
    const client = await clientOf(({ path }) =>
      path === '/v1/files/file_1' ? { status: 200, body: FILE } : (response) => response.end('content'),
    );
    const { file, content } = await client.files.download('file_1');
    expect(file).toEqual(FILE);
    expect(await new Response(content).text()).toBe('content');
    expect(server?.received).toMatchObject([
      { path: '/v1/files/file_1' },
      { path: '/v1/files/file_1/content?token=t%2B1', headers: { accept: '*/*' } },
    ]);
  });

  it('that is refused rejects, and one that ends early fails where it is read', async () => {
    const client = await clientOf(({ path }) => {
      if (path === '/v1/files/file_1') return { status: 200, body: FILE };
      if (path === '/v1/files/file_2')
        return { status: 404, body: { errorCode: 'NOT_FOUND', message: 'No.' } };
      return (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('only this', () => response.destroy());
      };
    });
    await expect(client.files.download('file_2')).rejects.toMatchObject({ errorCode: 'NOT_FOUND' });
    const { content } = await client.files.download('file_1');
    await expect(new Response(content).text()).rejects.toBeInstanceOf(TypeError);
  });
});
