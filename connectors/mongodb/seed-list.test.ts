import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { readSeedList } from './seed-list.ts';

const TYPE_TXT = 16;
const TYPE_SRV = 33;
const never = new AbortController().signal;

interface Records {
  readonly hosts?: readonly string[];
  readonly text?: string;
}

/** Starts a name server with these records of `c.example.test`; returns its address. */
async function startNameServer({ hosts = [], text }: Records): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    let at = 12;
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) at += 1 + length;
    const type = query.readUInt16BE(at + 1);
    const name = nameOf(type === TYPE_SRV ? '_mongodb._tcp.c.example.test' : 'c.example.test');
    const isMine = query.subarray(12, at + 1).equals(name);
    const data =
      type === TYPE_SRV
        ? hosts.map(serviceRecord)
        : type === TYPE_TXT && text !== undefined
          ? [Buffer.from([text.length, ...Buffer.from(text)])]
          : [];
    socket.send(response(query, at + 5, type, isMine ? data : []), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** Priority, weight, the port 27018, and the name. */
function serviceRecord(host: string): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 0x69, 0x8a]), nameOf(host)]);
}

function nameOf(host: string): Buffer {
  const labels = host.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function response(query: Buffer, end: number, type: number, data: readonly Buffer[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(data.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const records = data.map((each) => {
    const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, each.length]);
    return Buffer.concat([head, each]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

it('lists the members of a deployment, and the database that knows its users', async () => {
  const hosts = ['a.example.test', 'b.example.test'];
  const servers = [await startNameServer({ hosts, text: 'authSource=people&replicaSet=r' })];
  const list = await readSeedList('c.example.test', never, servers);
  expect(list.hosts).toEqual(expect.arrayContaining(hosts.map((host) => ({ host, port: 27_018 }))));
  expect([list.hosts.length, list.authSource]).toEqual([2, 'people']);
  const plain = [await startNameServer({ hosts })];
  expect(await readSeedList('c.example.test', never, plain)).toMatchObject({ authSource: undefined });
});

it('takes no member of another domain', async () => {
  for (const host of ['a.evil.test', 'example.test', 'aexample.test']) {
    const servers = [await startNameServer({ hosts: ['a.example.test', host] })];
    await expect(readSeedList('c.example.test', never, servers)).rejects.toThrow(
      `in another domain: ${host}`,
    );
  }
});

it('says that DNS lists no members, and refuses names that a whole zone could answer', async () => {
  const servers = [await startNameServer({})];
  await expect(readSeedList('c.example.test', never, servers)).rejects.toThrow('DNS lists no members');
  for (const name of ['localhost', 'example.test', '127.0.0.1/x', 'a b.example.test'])
    await expect(readSeedList(name, never, servers)).rejects.toThrow('at least three parts');
  await expect(readSeedList('c.example.test', AbortSignal.abort(), servers)).rejects.toThrow('DNS lists');
});
