import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { testCall, testConnector, testOptions, testTool } from '@fairlead/connector-runtime/testing/calls';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';

const connector = testConnector({ slug: 'rss', name: 'RSS' });
const XML = { 'content-type': 'application/xml' };

function call(
  handler: string,
  fields: JsonObject,
  page: { top?: number; offset?: number } = {},
): Promise<ToolOutcome> {
  const tool = testTool({ type: 'handler', handler });
  return testRuntime(connectorHandlers).execute(
    testCall(tool, { connector, fields, ...page }),
    testOptions(),
  );
}

function rss(...items: readonly string[]): string {
  return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News &amp; more</title>
    <link>/home</link><description>All</description><language>en</language>${items.join('')}</channel></rss>`;
}
const item = (id: string, more = ''): string =>
  `<item><guid>${id}</guid><title>Title ${id}</title>${more}</item>`;

const FULL = item(
  'g1',
  `<link>/1</link><pubDate>Sat, 28 Nov 2026 10:00:00 +0100</pubDate><dc:creator>Ada</dc:creator><category>x</category>
   <description>&lt;b&gt;s&lt;/b&gt;</description><content:encoded><![CDATA[<p>c</p>]]></content:encoded>
   <enclosure url="https://a.test/a.mp3" length="1" type="audio/mpeg"/>`,
);
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><updated>2026-11-28T10:00:00Z</updated>
  <entry><id>g1</id><title type="html">Title g1</title><link rel="self" href="/x"/><link href="/1"/>
  <published>2026-11-28T09:00:00Z</published><author><name>Ada</name></author><category term="x"/>
  <summary>s</summary><content type="html">&lt;p&gt;c&lt;/p&gt;</content></entry></feed>`;
const JSON_FEED = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'T',
  items: [
    {
      id: 'g1',
      url: '/1',
      title: 'Title g1',
      content_html: '<p>c</p>',
      date_published: '2026-11-28T09:00:00Z',
      authors: [{ name: 'Ada' }],
      tags: ['x'],
    },
  ],
});

describe('the items of a feed', () => {
  it.each([
    ['rss', rss(FULL)],
    ['atom', ATOM],
    ['json', JSON_FEED],
  ])('are the same in %s', async (format, text) => {
    const { server } = await testVendor(() => ({ headers: XML, body: text }));
    const url = `${server.url}/blog/feed`;
    expect(await call('getFeed', { url })).toMatchObject({ output: { format, itemCount: 1 } });
    expect(await call('listItems', { url })).toMatchObject({
      output: {
        totalCount: 1,
        items: [
          {
            id: 'g1',
            title: 'Title g1',
            link: `${server.url}/1`,
            published: '2026-11-28T09:00:00.000Z',
            authors: ['Ada'],
            categories: ['x'],
            content: '<p>c</p>',
          },
        ],
      },
    });
  });

  it('are found by time and text, and paged', async () => {
    const dated = (id: string, day: number): string =>
      item(id, `<pubDate>${String(day)} Nov 2026 00:00:00 GMT</pubDate>`);
    const { server } = await testVendor(() => ({
      headers: XML,
      body: rss(dated('c', 9), dated('b', 8), dated('a', 7)),
    }));
    const { url } = server;
    const ids = async (fields: JsonObject, page = {}): Promise<unknown> => {
      const outcome = await call('listItems', { url, ...fields }, page);
      return outcome.isSuccess ? JSON.stringify(outcome.output['items']).match(/"id":"[^"]*"/g) : outcome;
    };
    expect(await ids({ since: '2026-11-08T00:00:00Z' })).toEqual(['"id":"c"', '"id":"b"']);
    expect(await ids({ contains: 'TITLE A' })).toEqual(['"id":"a"']);
    expect(await ids({}, { top: 1, offset: 1 })).toEqual(['"id":"b"']);
  });
});

it.each([
  [{ body: '<html><body>no feed</body></html>', headers: { 'content-type': 'text/html' } }, 'holds no feed'],
  [{ body: rss().slice(0, 40), headers: XML }, 'holds no feed'],
  [{ status: 404, body: 'gone' }, '404'],
])('an address without a feed is a failure that says so: %j', async (response, text) => {
  const { server } = await testVendor(() => response);
  expect(await call('getFeed', { url: server.url })).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining(text) as string,
  });
});

it('a document with entities that grow is read within its limits or refused', async () => {
  const entities = Array.from(
    { length: 9 },
    (_value, at) => `<!ENTITY e${String(at + 1)} "${`&e${String(at)};`.repeat(10)}">`,
  );
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "aaaaaaaaaa">${entities.join('')}]>${rss(item('&e9;'))}`;
  const { server } = await testVendor(() => ({ headers: XML, body: bomb }));
  const outcome = await call('getFeed', { url: server.url });
  expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
});

it('a poll begins with what is there and returns what appears, the oldest first and once', async () => {
  let items = ['b', 'a'];
  const { server } = await testVendor(() => ({ headers: XML, body: rss(...items.map((id) => item(id))) }));
  const config = { url: server.url, now: '2026-11-29T12:00:00.000Z' };
  const poll = async (cursor?: JsonObject[string]): Promise<JsonObject> => {
    const outcome = await call('itemsPublished', cursor === undefined ? config : { ...config, cursor });
    if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
    return outcome.output;
  };
  const titles = ({ items: found }: JsonObject): unknown => JSON.stringify(found).match(/Title \w/g);
  const first = await poll();
  expect(first).toEqual({ cursor: { since: null, known: [expect.any(String), expect.any(String)] } });
  items = ['d', 'c', 'b'];
  const second = await poll(first['cursor']);
  expect(titles(second)).toEqual(['Title c', 'Title d']);
  // An item that was absent for a while is not new.
  items = ['d', 'a'];
  const third = await poll(second['cursor']);
  expect(third).toMatchObject({ items: [], hasMore: false });
});
