// The baseline of the gateway: express with one route, as in a tutorial.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { reportReady } from '../child.ts';
import { connectionJson } from './record.ts';

const app = express();
app.get('/v1/connections/:connectionId', (_request, response) => {
  response.json(connectionJson);
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
  reportReady({ url: `http://127.0.0.1:${port}` });
});
