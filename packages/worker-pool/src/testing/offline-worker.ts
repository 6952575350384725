// A test worker without network access; each job tries one way out.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import process from 'node:process';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { denyNetwork } from '../deny-network.ts';
import { denyProcesses } from '../deny-processes.ts';
import { serveJobs } from '../serve-jobs.ts';

denyNetwork();
denyProcesses();

const ways: Readonly<Record<string, () => unknown>> = {
  connect: () => net.connect(80, '127.0.0.1'),
  secure: () => tls.connect(443, '127.0.0.1'),
  request: () => http.get('http://169.254.169.254/latest/meta-data/'),
  fetch: () => fetch('http://127.0.0.1/').catch((error: Error) => Promise.reject(rootOf(error))),
  listen: () => net.createServer().listen(0),
  datagram: () => dgram.createSocket('udp4').send('x', 53, '127.0.0.1'),
  // The public constructor makes the same handle.
  socketHandle: () => void Reflect.construct(dgram.Socket, ['udp4']),
  // Node's types leave out what has an underscore.
  handle: () =>
    (net as unknown as { _createServerHandle(address: string): unknown })._createServerHandle('127.0.0.1'),
  signal: () => process.kill(process.ppid, 0),
  debugger: () => (process as unknown as { _debugProcess(pid: number): unknown })._debugProcess(process.ppid),
  name: () => dns.resolve('example.com', () => undefined),
  lookup: () => lookup('example.com'),
  restore: () => {
    Object.defineProperty(net.Socket.prototype, 'connect', { value: () => 'open' });
  },
  addOn: () => {
    process.dlopen({ exports: {} }, '/lib/raw-socket.node');
  },
  // The type omits this member.
  binding: () => (process as unknown as { binding(name: string): unknown }).binding('tcp_wrap'),
  thread: () => new Worker('0', { eval: true }),
  inspector: () => import('node:inspector').then(({ open }) => open(0, '127.0.0.1')),
};

/** The cause of a failed fetch. */
function rootOf(error: Error): unknown {
  return error.cause instanceof Error ? error.cause : error;
}

serveJobs(() =>
  Promise.resolve(async (job) => {
    // The test sends a job with this member.
    const { name } = job as { readonly name: string };
    await ways[name]?.();
    return 'got out';
  }),
);
