/** The three questions of `assay advise`, as options and as what is asked at a terminal. */
export const adviseQuestions = {
  paths: {
    question: 'Is there one obvious way, do whole ways differ, or can single steps be right or wrong?',
    choices: ['none', 'whole', 'partial'],
  },
  evaluator: {
    question: "What judges better than the model's liking?",
    choices: ['tests', 'rules', 'schema', 'reference', 'another-model', 'answers', 'self'],
  },
  'error-pays': { question: 'Does an error cost more than several attempts?', choices: ['yes', 'no'] },
} as const;
