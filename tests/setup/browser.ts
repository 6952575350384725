import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * The path of a Chromium: CHROMIUM_PATH, else one on PATH, else Debian's package, installed if possible (root, apt). Throws
 * an error with instructions if there is none.
 */
function findBrowser(): string {
  const given = process.env['CHROMIUM_PATH'] ?? onPath();
  if (given !== undefined) return given;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(
      'No Chromium on PATH: installing the distribution’s package `chromium` for the browser test.',
    );
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'inherit',
      env,
    });
  }
  const installed = onPath();
  if (installed === undefined) {
    throw new Error(
      'The browser test needs Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
    );
  }
  return installed;
}

/** A headless browser with a fresh profile; close it with `close()`. */
export async function openBrowser(): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  const executablePath = findBrowser();
  const profile = await mkdtemp(join(tmpdir(), 'fairlead-test-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    // No sandbox: CI runs as root. No background traffic: the machine may be offline.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  // Generous, because loading pages may take long on a busy machine.
  context.setDefaultTimeout(120_000);
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
