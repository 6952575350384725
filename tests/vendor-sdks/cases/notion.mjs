import { Client } from '@notionhq/client';

const at = (url) => new Client({ auth: 'token', baseUrl: url, notionVersion: '2022-06-28', retry: false });
const id = '0a1b2c3d-0000-4000-8000-000000000001';
const properties = { title: { title: [{ text: { content: 'Plan' } }] } };
const children = [{ paragraph: { rich_text: [{ text: { content: 'Text' } }] } }];

export const origin = 'https://api.notion.com';
export const authenticationId = 1;
export const fields = { integrationToken: 'token' };
export const cases = [
  { tool: 'notion-get-page', input: { id }, sdk: (url) => at(url).pages.retrieve({ page_id: id }) },
  {
    tool: 'notion-create-page',
    input: { parentPageId: id, properties, children },
    sdk: (url) => at(url).pages.create({ parent: { page_id: id }, properties, children }),
  },
  {
    tool: 'notion-update-page',
    input: { id, properties },
    sdk: (url) => at(url).pages.update({ page_id: id, properties }),
  },
  { tool: 'notion-get-block', input: { id }, sdk: (url) => at(url).blocks.retrieve({ block_id: id }) },
  { tool: 'notion-delete-block', input: { id }, sdk: (url) => at(url).blocks.delete({ block_id: id }) },
  {
    tool: 'notion-append-blocks',
    input: { id, children },
    sdk: (url) => at(url).blocks.children.append({ block_id: id, children }),
  },
  {
    tool: 'notion-get-database',
    input: { id },
    sdk: (url) => at(url).databases.retrieve({ database_id: id }),
  },
  { tool: 'notion-get-user', input: { id }, sdk: (url) => at(url).users.retrieve({ user_id: id }) },
];
