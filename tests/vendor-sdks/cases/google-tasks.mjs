import { tasks } from '@googleapis/tasks';

const at = (url) => tasks({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://tasks.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-tasks-get-task',
    input: { task: 't1' },
    sdk: (url) => at(url).tasks.get({ tasklist: '@default', task: 't1' }),
  },
  {
    tool: 'google-tasks-create-task',
    input: { title: 'Pay rent', notes: 'Today' },
    sdk: (url) =>
      at(url).tasks.insert({ tasklist: '@default', requestBody: { title: 'Pay rent', notes: 'Today' } }),
  },
  {
    tool: 'google-tasks-update-task',
    input: { task: 't1', title: 'Pay' },
    sdk: (url) => at(url).tasks.patch({ tasklist: '@default', task: 't1', requestBody: { title: 'Pay' } }),
  },
  {
    tool: 'google-tasks-move-task',
    input: { task: 't1', previous: 't0' },
    sdk: (url) => at(url).tasks.move({ tasklist: '@default', task: 't1', previous: 't0' }),
  },
  {
    tool: 'google-tasks-delete-task',
    input: { task: 't1' },
    sdk: (url) => at(url).tasks.delete({ tasklist: '@default', task: 't1' }),
  },
  {
    tool: 'google-tasks-clear-completed-tasks',
    input: {},
    sdk: (url) => at(url).tasks.clear({ tasklist: '@default' }),
  },
  {
    tool: 'google-tasks-get-task-list',
    input: {},
    sdk: (url) => at(url).tasklists.get({ tasklist: '@default' }),
  },
];
