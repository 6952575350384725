import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { fences } from '../setup/fences.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';
import type { Part } from './part.ts';

/** Lines printed by the README's steps if they work. */
const EXPECTED = [
  /^sandbox-crm-create-contact$/m,
  /"connectionName":"My CRM",.*"status":"Active"/,
  /"name":"Grace Hopper"/,
  /^Created Ada Lovelace\.\nsandbox-crm-create-contact {2}true$/m,
  /^te_\w+ http_webhook$/m,
  /"delivery":"delivered".*"attempt":1,"state":"delivered"/,
];

/** Pastes the README's five steps into a shell whose FAIRLEAD_URL is the Service's address. */
export const walk: Part = {
  name: 'walk',
  async run(site) {
    if (!isInstalled('bash')) return { figures: ['bash or script is not installed: no walk'], problems: [] };
    const { machine, target } = await site.installation();
    const checkout = await linkedCheckout(target);
    const [model, receiver] = [await listen('127.0.0.1', 0), await listen('127.0.0.1', 0)];
    const [modelPort, receiverPort] = [portOf(model), portOf(receiver)];
    for (const server of [model, receiver]) await once(server.close(), 'close');
    // The README's receiver listens on loopback, which no pod can reach.
    const forwarder = await listen(machine, receiverPort, receiverPort);
    const shell = await PastingShell.open('bash', checkout.path);
    try {
      let transcript = '';
      for (const block of await fences('README.md', 'sh walk'))
        transcript += await shell.paste(
          block
            .replace('"http://127.0.0.1:3000/"', `"http://${machine}:${String(receiverPort)}/"`)
            .replaceAll('4010', String(modelPort))
            .replaceAll('3000', String(receiverPort)),
        );
      const missing = EXPECTED.filter((line) => !line.test(transcript));
      return {
        figures: [
          `${String(EXPECTED.length - missing.length)} of ${String(EXPECTED.length)} results of the README's walk`,
        ],
        problems: missing.map((line) => `the walk did not print ${String(line)}:\n${transcript}`),
      };
    } finally {
      await shell.close();
      forwarder.close();
      await checkout.remove();
    }
  },
};

/** Listens at an address; forwards connections to a loopback port if one is given. */
async function listen(host: string, port: number, toPort?: number): Promise<Server> {
  const server = createServer((socket) => {
    if (toPort === undefined) return;
    const upstream = connect(toPort, '127.0.0.1');
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const)
      from.pipe(to).on('error', () => from.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port; // a TCP server has one
}
