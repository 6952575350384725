import { TodoistApi } from '@doist/todoist-api-typescript';

const at = (url) => new TodoistApi('key', { baseUrl: url });

export const origin = 'https://api.todoist.com';
export const authenticationId = 1;
export const fields = { apiKey: 'key' };
export const cases = [
  { tool: 'todoist-get-task', input: { task_id: '6X7' }, sdk: (url) => at(url).getTask('6X7') },
  {
    tool: 'todoist-create-task',
    input: { content: 'Pay rent', project_id: '9', labels: ['home'], priority: 4, due_string: 'tomorrow' },
    sdk: (url) =>
      at(url).addTask({
        content: 'Pay rent',
        projectId: '9',
        labels: ['home'],
        priority: 4,
        dueString: 'tomorrow',
        dueLang: 'en',
      }),
  },
  { tool: 'todoist-complete-task', input: { task_id: '6X7' }, sdk: (url) => at(url).closeTask('6X7') },
  { tool: 'todoist-reopen-task', input: { task_id: '6X7' }, sdk: (url) => at(url).reopenTask('6X7') },
  { tool: 'todoist-delete-task', input: { task_id: '6X7' }, sdk: (url) => at(url).deleteTask('6X7') },
  {
    tool: 'todoist-move-task',
    input: { task_id: '6X7', section_id: '5' },
    sdk: (url) => at(url).moveTask('6X7', { sectionId: '5' }),
  },
  {
    tool: 'todoist-find-tasks',
    input: { query: 'today | overdue' },
    top: 10,
    sdk: (url) => at(url).getTasksByFilter({ query: 'today | overdue', lang: 'en', limit: 10 }),
  },
  { tool: 'todoist-list-projects', input: {}, top: 10, sdk: (url) => at(url).getProjects({ limit: 10 }) },
  {
    tool: 'todoist-create-section',
    input: { name: 'Now', project_id: '9' },
    sdk: (url) => at(url).addSection({ name: 'Now', projectId: '9' }),
  },
  {
    tool: 'todoist-create-comment',
    input: { content: 'Done?', task_id: '6X7' },
    sdk: (url) => at(url).addComment({ content: 'Done?', taskId: '6X7' }),
  },
];
