import { expect, it } from 'vitest';
import { testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

/** Dropbox, which serves file content from a separate host. */
async function dropbox(respond: (request: ReceivedRequest, count: number) => TestResponse) {
  const content = await testVendor(respond);
  const api = await shippedConnector('dropbox', {
    origin: 'https://api.dropboxapi.com',
    furtherOrigins: { 'https://content.dropboxapi.com': content.server.url },
    authenticationId: 0,
    accessToken: 'sl.1',
    respond,
  });
  return { ...api, content: content.server };
}

it('uploads the bytes of a file to the host for content, with the credential', async () => {
  const { server, content, call } = await dropbox(() => ({
    body: { id: 'id:1', name: 'a', rev: '1', is_downloadable: true },
  }));
  const file = { name: 'a', contentType: 'text/plain', base64: Buffer.from('text').toString('base64') };
  expect(await call('dropbox-upload-file', { path: '/ä"/a', file, mode: 'overwrite' })).toMatchObject({
    output: { id: 'id:1', name: 'a', rev: '1' },
  });
  expect(server.requests).toEqual([]);
  const [request] = content.requests;
  expect(request).toMatchObject({
    path: '/2/files/upload',
    body: 'text',
    headers: { authorization: 'Bearer sl.1', 'content-type': 'application/octet-stream' },
  });
  expect(JSON.parse(request?.query.get('arg') ?? '')).toEqual({ path: '/ä"/a', mode: 'overwrite' });
});

it('returns the bytes of a download, which become a file', async () => {
  const { call } = await dropbox(() => ({
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array([0xff, 0x00]),
  }));
  expect(await call('dropbox-download-file', { path: '/a' })).toMatchObject({
    output: { status: 200, body: { base64: '/wA=' } },
  });
});

it('fails with Dropbox’s summary', async () => {
  const { call } = await dropbox(() => ({ status: 409, body: { error_summary: 'path/not_found/..' } }));
  expect(await call('dropbox-get-metadata', { path: '/a' })).toMatchObject({
    errorMessage: 'Dropbox responded with 409: path/not_found/..',
  });
});
