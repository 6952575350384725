import { readFile } from 'node:fs/promises';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Fairlead } from '@fairlead/sdk';
import { openBrowser } from '../setup/browser.ts';
import type { DevStack } from '../setup/dev-stack.ts';

// Takes the picture of the README from a running stack: `npm start`, then `npm run pictures`.
const root = new URL('../../', import.meta.url);
const file = env['FAIRLEAD_DEV_JSON'] ?? fileURLToPath(new URL('.fairlead/dev.json', root));
const { baseUrl, account } = JSON.parse(await readFile(file, 'utf8')) as DevStack; // written by npm start

const fairlead = new Fairlead({ baseUrl, apiKey: account.apiKey });
const { connectUrl } = await fairlead.endUsers.createConnectSession({
  endUserId: 'customer-42',
  applicationSlugs: ['sandbox-crm'],
  locale: 'en',
  theme: { mode: 'light' },
});

const browser = await openBrowser();
try {
  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 860, height: 640 });
  await page.goto(connectUrl);
  const path = fileURLToPath(new URL('docs/pictures/connect.png', root));
  await page.screenshot({ path, fullPage: true, animations: 'disabled', caret: 'hide' });
  console.log(`Written: ${path}`);
} finally {
  await browser.close();
}
