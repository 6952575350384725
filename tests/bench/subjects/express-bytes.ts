// The baseline of lists: express with one route that sends the bytes of a file as JSON.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { reportReady } from '../child.ts';

const bytes = readFileSync(process.argv[2] ?? '');
const app = express();
app.post('/', (_request, response) => {
  response.type('json').send(bytes);
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
  reportReady({ url: `http://127.0.0.1:${port}` });
});
