import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'microsoft-todo-get-task-list',
    input: { list: 'l1' },
    sdk: (url) => at(url).api('/me/todo/lists/l1').get(),
  },
  {
    tool: 'microsoft-todo-create-task-list',
    input: { name: 'Home' },
    sdk: (url) => at(url).api('/me/todo/lists').post({ displayName: 'Home' }),
  },
  {
    tool: 'microsoft-todo-create-task',
    input: { list: 'l1', title: 'Plan', importance: 'high' },
    sdk: (url) => at(url).api('/me/todo/lists/l1/tasks').post({ title: 'Plan', importance: 'high' }),
  },
  {
    tool: 'microsoft-todo-update-task',
    input: { list: 'l1', id: 't1', status: 'completed' },
    sdk: (url) => at(url).api('/me/todo/lists/l1/tasks/t1').patch({ status: 'completed' }),
  },
  {
    tool: 'microsoft-todo-delete-task',
    input: { list: 'l1', id: 't1' },
    sdk: (url) => at(url).api('/me/todo/lists/l1/tasks/t1').delete(),
  },
  {
    tool: 'microsoft-todo-create-step',
    input: { list: 'l1', task: 't1', text: 'First' },
    sdk: (url) => at(url).api('/me/todo/lists/l1/tasks/t1/checklistItems').post({ displayName: 'First' }),
  },
];
