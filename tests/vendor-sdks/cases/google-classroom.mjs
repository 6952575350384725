import { classroom } from '@googleapis/classroom';

const at = (url) => classroom({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://classroom.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-classroom-get-course',
    input: { courseId: 'c1' },
    sdk: (url) => at(url).courses.get({ id: 'c1' }),
  },
  {
    tool: 'google-classroom-create-course',
    input: { name: 'Maths' },
    sdk: (url) =>
      at(url).courses.create({ requestBody: { name: 'Maths', ownerId: 'me', courseState: 'PROVISIONED' } }),
  },
  {
    tool: 'google-classroom-get-course-work',
    input: { courseId: 'c1', id: 'w1' },
    sdk: (url) => at(url).courses.courseWork.get({ courseId: 'c1', id: 'w1' }),
  },
  {
    tool: 'google-classroom-delete-course-work',
    input: { courseId: 'c1', id: 'w1' },
    sdk: (url) => at(url).courses.courseWork.delete({ courseId: 'c1', id: 'w1' }),
  },
  {
    tool: 'google-classroom-list-course-work',
    input: { courseId: 'c1' },
    top: 10,
    sdk: (url) =>
      at(url).courses.courseWork.list({ courseId: 'c1', orderBy: 'updateTime desc', pageSize: 10 }),
  },
  {
    tool: 'google-classroom-list-courses',
    input: { teacherId: 'me' },
    top: 10,
    sdk: (url) => at(url).courses.list({ teacherId: 'me', pageSize: 10 }),
  },
];
