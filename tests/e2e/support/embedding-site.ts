import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@fairlead/local-stores/ports';
import { fence } from '../../setup/fences.ts';
import { linkedCheckout } from '../../setup/walk.ts';
import { listen } from './client-app.ts';
import { installClient } from './installed-client.ts';

const run = promisify(execFile);

/** A site of an account's product. */
export interface Site {
  /** Its origin. */
  readonly url: string;
  close(): Promise<void>;
}

/** The variables that the first code block of docs/connect.md exports, for this stack. */
async function settingsOf(dev: unknown): Promise<NodeJS.ProcessEnv> {
  const checkout = await linkedCheckout(dev);
  const script = `${await fence('docs/connect.md', 'sh connect-settings')}echo "$FAIRLEAD_URL $FAIRLEAD_API_KEY"`;
  const { stdout } = await run('bash', ['-c', script], { cwd: checkout.path });
  await checkout.remove();
  const [FAIRLEAD_URL, FAIRLEAD_API_KEY] = stdout.trim().split('\n').at(-1)?.split(' ') ?? [];
  return { FAIRLEAD_URL, FAIRLEAD_API_KEY };
}

/** Runs the example of docs/connect.md against the stack of a `dev.json`, like its reader. */
export async function startExample(dev: unknown): Promise<Site> {
  const [folder, settings] = await Promise.all([installClient(), settingsOf(dev)]);
  await writeFile(join(folder, 'server.mjs'), await fence('docs/connect.md', 'js connect-server'));
  await writeFile(join(folder, 'page.html'), await fence('docs/connect.md', 'html connect-page'));
  const port = await freePort();
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...settings, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://localhost:${port}`;
  await untilServing(url, () => child.exitCode === null);
  return {
    url,
    async close() {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A site whose page has the widget as `window.widget`, and records messages and outcomes in `window.seen`. */
export async function startSite(): Promise<Site> {
  const folder = await installClient();
  const script = `import * as widget from '/sdk/connect.js';
    window.seen = [];
    const note = (name) => (value) => window.seen.push([name, value.status ?? value.code]);
    window.callbacks = { onSuccess: note('success'), onCancel: note('cancel'), onError: note('error') };
    addEventListener('message', ({ origin, data }) => window.seen.push(['message', { origin, ...data }]));
    window.widget = widget;`;
  const site = await listen((request, response) => {
    void (async () => {
      const file = /^\/sdk\/([\w/-]+\.js)$/.exec(request.url ?? '')?.[1];
      response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
      const text =
        file === undefined
          ? `<!doctype html><title>Site</title><script type="module">${script}</script>`
          : await readFile(join(folder, 'node_modules/@fairlead/sdk', file));
      response.end(text);
    })();
  }, 'localhost');
  return {
    url: site.url,
    async close() {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilServing(url: string, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
