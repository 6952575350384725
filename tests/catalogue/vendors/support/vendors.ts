import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compileRead, readManifest } from '@fairlead/connector-model/compile-manifest';
import type { ManifestParse } from '@fairlead/connector-model/compile-manifest';
import { formatProblem } from '@fairlead/connector-model/compile';
import type { Connector } from '@fairlead/connector-model/model';
import type { Double } from '../doubles/double.ts';
import { startGoogle } from '../doubles/google.ts';
import { startJira } from '../doubles/jira.ts';
import { startSalesforce } from '../doubles/salesforce.ts';
import { startShopify } from '../doubles/shopify.ts';
import { startSlack } from '../doubles/slack.ts';
import { calendarDescription } from './calendar-description.ts';

/** Folder of the shipped connectors. */
export const CONNECTORS = fileURLToPath(new URL('../../../../connectors', import.meta.url));

/** A vendor of the walks. */
interface Vendor {
  readonly start: () => Promise<Double>;
  /** Texts in the compiled connector that address the vendor, with their replacements for the double. */
  readonly addresses: (url: string) => Readonly<Record<string, string>>;
}

const VENDORS = {
  slack: { start: startSlack, addresses: (url) => ({ 'https://slack.com': url }) },
  'google-calendar': {
    start: startGoogle,
    addresses: (url) => ({
      'https://accounts.google.com': url,
      'https://oauth2.googleapis.com': url,
      // Not just the host, which also occurs in names of scopes.
      'https://www.googleapis.com/calendar': `${url}/calendar`,
    }),
  },
  salesforce: {
    start: startSalesforce,
    addresses: (url) => ({
      'https://{{field.loginHost}}.salesforce.com': `${url}/{{field.loginHost}}`,
      '".salesforce.com",".force.com"': '"127.0.0.1"',
    }),
  },
  shopify: {
    start: startShopify,
    addresses: (url) => ({ 'https://{{field.shop}}.myshopify.com': `${url}/{{field.shop}}` }),
  },
  jira: {
    start: startJira,
    addresses: (url) => ({
      'https://auth.atlassian.com': url,
      'https://api.atlassian.com': url,
      'https://{{field.site}}.atlassian.net': `${url}/site/{{field.site}}`,
    }),
  },
} satisfies Readonly<Record<string, Vendor>>;

/** Slug of an application whose vendor has a double. */
export type VendorSlug = keyof typeof VENDORS;

/** The doubles of all vendors, and the shipped applications with the doubles' addresses. */
interface RunningVendors {
  readonly connectors: readonly Connector[];
  /** Addresses of their first hosts. */
  readonly urls: Readonly<Record<VendorSlug, string>>;
  readonly close: () => Promise<void>;
}

/** Starts the doubles and compiles the manifests with the doubles' addresses; nothing else differs. */
export async function startVendors(): Promise<RunningVendors> {
  const started = await Promise.all(
    Object.entries(VENDORS).map(async ([slug, { start, addresses }]) => {
      const double = await start();
      const url = double.urls[0] ?? '';
      return { slug, url, double, connector: redirected(await compile(slug), addresses(url)) };
    }),
  );
  return {
    connectors: started.map(({ connector }) => connector),
    // The entries are those of VENDORS.
    urls: Object.fromEntries(started.map(({ slug, url }) => [slug, url])) as Record<VendorSlug, string>,
    close: async () => {
      await Promise.all(started.map(({ double }) => double.close()));
    },
  };
}

async function compile(slug: string): Promise<Connector> {
  const file = `${CONNECTORS}/${slug}/connector.yaml`;
  const read = readManifest(await readFile(file, 'utf8'), file);
  const result = read.ok ? compileRead(...withoutNetwork(read, slug)) : read;
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.connector;
}

type Readable = Extract<ManifestParse, { readonly ok: true }>;

/** For Google Calendar, the operations in our part of the description; for other imported applications, only tools written by hand. */
function withoutNetwork(read: Readable, slug: string): Parameters<typeof compileRead> {
  const { source, operations, ...written } = read.manifest;
  if (source === undefined) return [read, { directory: slug }];
  if (source.kind === 'openapi')
    return [{ ...read, manifest: { ...written, hosts: source.hosts, operations: [] } }, { directory: slug }];
  const described = JSON.stringify(calendarDescription);
  const kept = operations.filter(({ operation }) => described.includes(`"${operation}"`));
  const manifest = { ...read.manifest, operations: kept };
  return [
    { ...read, manifest },
    { directory: slug, description: calendarDescription },
  ];
}

function redirected(connector: Connector, addresses: Readonly<Record<string, string>>): Connector {
  const text = Object.entries(addresses).reduce((json, [from, to]) => {
    if (!json.includes(from)) throw new Error(`${connector.slug} has no ${from}.`);
    return json.replaceAll(from, to);
  }, JSON.stringify(connector));
  // The same connector with other addresses. A manifest could not have them, because they are not https.
  return JSON.parse(text) as Connector;
}
