import { searchconsole } from '@googleapis/searchconsole';

const at = (url) => searchconsole({ version: 'v1', rootUrl: `${url}/`, retry: false });
const site = 'https://example.com/';

export const origin = 'https://searchconsole.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  { tool: 'google-search-console-list-sites', input: {}, sdk: (url) => at(url).sites.list() },
  {
    tool: 'google-search-console-get-site',
    input: { site },
    sdk: (url) => at(url).sites.get({ siteUrl: site }),
  },
  {
    tool: 'google-search-console-list-sitemaps',
    input: { site },
    sdk: (url) => at(url).sitemaps.list({ siteUrl: site }),
  },
  {
    tool: 'google-search-console-submit-sitemap',
    input: { site, sitemap: `${site}sitemap.xml` },
    sdk: (url) => at(url).sitemaps.submit({ siteUrl: site, feedpath: `${site}sitemap.xml` }),
  },
  {
    tool: 'google-search-console-query-performance',
    input: { site, start: '2026-05-01', end: '2026-05-31', dimensions: ['page'], rowLimit: 10 },
    sdk: (url) =>
      at(url).searchanalytics.query({
        siteUrl: site,
        requestBody: {
          startDate: '2026-05-01',
          endDate: '2026-05-31',
          dimensions: ['page'],
          type: 'web',
          rowLimit: 10,
        },
      }),
  },
  {
    tool: 'google-search-console-inspect-page',
    input: { site, url: `${site}a` },
    sdk: (url) =>
      at(url).urlInspection.index.inspect({ requestBody: { siteUrl: site, inspectionUrl: `${site}a` } }),
  },
];
