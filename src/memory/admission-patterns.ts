/**
 * What a lesson must not say, as data. The text it is matched with is normalised: NFKC, lower case, joiners removed, white
 * space and underscores single spaces. Each list holds English and Chinese.
 */

export interface Pattern {
  /** Completes the sentence `refused: the lesson …`. */
  why: string;
  pattern: RegExp;
}

const notNegated = "(?<!\\b(?:not|never|don't|cannot|without|avoid)(?: \\w+)? )";
const notNegatedChinese = '(?<![不勿别免止切]|不[要得能可应该])';
const controls =
  'instructions?|rules?|polic(?:y|ies)|guard ?rails?|guards?|safety|approvals?|permissions?|confirmations?|sandbox|verif\\w+|checks?|restrictions?|system prompt|budget';
const chineseControls = '指令|指示|规则|政策|策略|限制|审批|批准|权限|确认|安全|沙箱|校验|验证|检查|提示词';

/** Attempts to widen permissions, to override policy, to speak with another authority, or to carry data away. */
export const overreach: readonly Pattern[] = [
  {
    why: 'tells a later run to set its instructions, rules or checks aside',
    pattern: new RegExp(
      `${notNegated}\\b(?:ignore|disregard|forget|override|overrule|bypass|circumvent|disable|deactivate|skip|evade|turn off|switch off)\\b[^.;]{0,60}\\b(?:${controls})\\b`,
    ),
  },
  {
    why: 'tells a later run to set its instructions, rules or checks aside',
    pattern: new RegExp(
      `${notNegatedChinese}(?:忽略|无视|不理会|不要理会|不要遵守|绕过|绕开|跳过|关闭|禁用|停用|规避|忘记|忘掉|覆盖)[^。；]{0,20}(?:${chineseControls})`,
    ),
  },
  {
    why: 'approves on behalf of a human',
    pattern:
      /\b(?:(?:always|automatically|silently|blindly|just) (?:approve|accept|allow|grant|confirm|authori[sz]e|permit)|auto-? ?(?:approve|confirm|accept)\w*|(?:pre-?|already )(?:approved|authori[sz]ed)|(?:approve|allow|grant|authori[sz]e) (?:all|any|every|each)\b|(?:all|any|every) (?:calls?|actions?|requests?|effects?|commands?) (?:is|are) (?:approved|allowed|safe|authori[sz]ed))/,
  },
  {
    why: 'approves on behalf of a human',
    pattern:
      /(?:总是|始终|一律|自动|直接|永远|默认|全部)[^。；]{0,6}(?:批准|同意|授权|放行|审批通过|通过审批|允许)|(?:已经?|早已)(?:获得?|得到|经过)?[^。；]{0,6}(?:批准|授权|许可)/,
  },
  {
    why: 'avoids asking a human',
    pattern:
      /\b(?:do not|don't|never|without|no need (?:to|for)|not necessary to|needn't|stop|instead of) (?:\w+ ){0,2}?(?:ask|request|wait|requir|seek|prompt|need)\w*\b[^.;]{0,30}\b(?:approval|permission|confirmation|consent|authori[sz]ation|the user|a human|human)\b|\bwithout (?:\w+ )?(?:approval|permission|confirmation|consent|authori[sz]ation)\b/,
  },
  {
    why: 'avoids asking a human',
    pattern:
      /(?:无需|无须|不用|不必|不要|别|勿|不需要?|未经)[^。；]{0,8}(?:批准|审批|许可|确认|授权|用户同意|人工同意)/,
  },
  {
    why: 'widens permissions',
    pattern:
      /\b(?:grant|escalate|elevate|widen|expand|raise|gain|obtain|acquire|increase)\b[^.;]{0,30}\b(?:privileges?|permissions?|rights|access|root|admin\w*|budget|limits?)\b|\b(?:run|execute|act|operate|log ?in) as (?:the )?(?:root|admin\w*|superuser)\b|\bsudo\b|\bchmod 0?777\b|\brm -rf?\b|\|\s*(?:ba|z)?sh\b/,
  },
  {
    why: 'widens permissions',
    pattern:
      /(?:提升|提高|扩大|扩展|获取|放宽|授予|增加)[^。；]{0,8}(?:权限|特权|管理员|根用户|预算|限额)|以(?:管理员|根用户|root)/,
  },
  {
    why: 'claims an authority that a lesson does not have',
    pattern:
      /\byou are now\b|\b(?:new|updated) (?:system )?instructions?\b|\b(?:system|developer) (?:prompt|message)\b|(?:^|[\s"'])(?:system|assistant|developer|user) ?: |<\|?\/?\s?(?:im start|im end|system|assistant|tool|observation|instructions?)|\[\/?inst\]|\bremember (?:this|the following) (?:rule|instruction)|\bfor all future (?:tasks?|runs?|sessions?)/,
  },
  {
    why: 'claims an authority that a lesson does not have',
    pattern:
      /你现在是|从现在(?:起|开始)[^。；]{0,6}你|新的(?:系统)?指令|系统(?:提示|消息|指令)|记住(?:这条|以下|下面的?)(?:规则|指令)|(?:今后|以后|将来)的?所有(?:任务|运行|会话)/,
  },
  {
    why: 'hides something from the user',
    pattern:
      /\b(?:do not|don't|never|without) (?:tell|inform|notify|alert|warn|mention\w*|report\w*|reveal\w*|show\w*)(?:ing)?\b[^.;]{0,40}\b(?:users?|humans?|operators?|reviewers?|owners?)\b|\b(?:hide|conceal)\b[^.;]{0,40}\bfrom (?:the )?(?:users?|humans?|operators?|reviewers?|logs?|traces?)\b/,
  },
  {
    why: 'hides something from the user',
    pattern:
      /(?:不要|别|勿|无需|不必)[^。；]{0,4}(?:告诉|告知|通知|提醒|警告)[^。；]{0,4}(?:用户|人类|操作员|管理员)|(?:对|向)(?:用户|人类)(?:隐瞒|保密)/,
  },
  {
    why: 'carries secrets or results away',
    pattern:
      /\b(?:send|post|upload|forward|exfiltrate|transmit|leak|e-?mail|copy|share|reveal|print|expose|disclose|paste)\b[^.;]{0,60}\b(?:credentials?|secrets?|api keys?|tokens?|passwords?|private keys?|env(?:ironment)? variables?|cookies?|system prompt|conversation|chat history)\b/,
  },
  {
    why: 'carries secrets or results away',
    pattern:
      /(?:发送|上传|转发|泄露|透露|提交|复制|邮寄|外传|打印|输出)[^。；]{0,20}(?:密钥|密码|口令|凭证|凭据|令牌|环境变量|系统提示|聊天记录|对话记录|隐私)/,
  },
  {
    why: 'names an address on the network',
    pattern:
      /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S|\bwww\.\S|\b[\w.+-]{1,64}@[\w-]+\.\w|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:send|post|upload|forward|copy|submit|report|push|sync)\b[^.;]{0,60}\bto [\w.-]{1,60}\.(?!(?:[cm]?[jt]sx?|json|md|txt|csv|py|sh|sql|ya?ml|toml|html?|xml|log|db|go|rs|java|c|h|cpp)\b)[a-z]{2,24}\b/,
  },
];

/** Asking a human is nothing a lesson may list under `avoid`. */
export const overreachToAvoid: readonly Pattern[] = [
  {
    why: 'avoids asking a human',
    pattern:
      /\b(?:ask|request|wait|requir|seek)\w*\b[^.;]{0,30}\b(?:approval|permission|confirmation|consent|authori[sz]ation)\b|(?:请求|等待|征求|寻求|申请)[^。；]{0,6}(?:批准|审批|许可|确认|授权|同意)/,
  },
];

const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?';

/** Facts that pass. A lesson may hold one that its trigger names as well: then it is about that date, price or record, and lives shortly. */
export const scopedFacts: readonly Pattern[] = [
  {
    why: 'depends on a date',
    pattern: new RegExp(
      `\\b(?:19|20)\\d\\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.]\\d{1,2})?\\b|\\b\\d{1,2}[-/.]\\d{1,2}[-/.](?:19|20)\\d\\d\\b|\\b${month} \\d{1,2}(?:st|nd|rd|th)?\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?!may\\b)${month}|\\b${month} (?:19|20)\\d\\d\\b|\\d{2,4} ?年 ?\\d{1,2} ?月|\\d{1,2} ?月 ?\\d{1,2} ?[日号]`,
    ),
  },
  {
    why: 'states a price',
    pattern:
      /[$€£¥] ?\d|\b\d[\d.,]* ?(?:usd|eur|gbp|cny|rmb|dollars?|euros?|yuan)\b|\d[\d.,]* ?(?:万|亿)?(?:元|美元|欧元|人民币)/,
  },
  {
    why: 'names one record by its id',
    pattern:
      /\b(?:order|ticket|invoice|customer|account|user|case|issue|record|sku|article|employee|contract|booking|shipment)s? ?(?:ids?|numbers?|no\.?|nr\.?)? ?[#:-]? ?(?=[a-z-]{0,20}\d)[a-z\d-]{0,20}\d{2,}\b|#\d{3,}\b|(?:订单|工单|发票|客户|账号|合同|编号)号?[为是：: #]{0,3}[a-z\d-]{0,20}\d{3,}/,
  },
];

/** Facts of one run that a later run does not share. */
export const passingFacts: readonly Pattern[] = [
  { why: 'cites an observation of its run', pattern: /\bobs[- ]?\d+\b|\bobservation #?\d+\b|观察(?:结果)?\s?#?\d+/ },
  {
    why: 'names one run',
    pattern:
      /\b(?:run|trial|attempt|session|job|call)(?:[-#:](?=[\w-]*\d)[\w-]{2,}| (?=[a-z]{0,20}\d)(?=\d{0,20}[a-z])[a-z\d]{6,}\b)|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{16,}\b/,
  },
  {
    why: 'names a temporary path',
    pattern:
      /(?:^|[\s"'(=:，。：（])\/(?:private\/)?(?:tmp|var\/(?:tmp|folders)|dev\/shm|run\/user)\b|\b[a-z]:\\(?:[^\s\\]+\\){0,6}te?mp\b|%te?mp%|\$tmpdir\b/,
  },
  {
    why: 'states one answer instead of a way to find it',
    pattern:
      /\b(?:answer|result|total|sum|output|correct value|right value|solution)\b (?:is|was|should be|must be|equals|=|:) ?["'$€£¥]?-?\d|\b(?:answer|return|output|reply|respond|report|give|write|state)(?: with| that it is)? ["'$€£¥]?-?\d[\d.,]*(?: ?%)?["']?(?:\.?$|[,;]| (?:for|as|when|if|instead)\b)|(?:答案|结果|总数|总和|总计|正确值|正确答案)(?:是|为|应为|应该是|应该为|等于|[:：=]) ?["“¥$]?-?\d|(?:回答|返回|输出|填写|报告) ?["“¥$]?-?\d[\d.,]*["”]?(?:$|[。，；,;])/,
  },
];

/** Words that mean another time in every run. A quoted one is about the words of a task and may stay. */
export const relativeTime: Pattern = {
  why: 'depends on the time of its run',
  pattern:
    /\b(?:today(?!'s date)|yesterday|tomorrow|tonight|right now|just now|(?:this|last|next) (?:week|month|year|morning|evening|run|attempt|trial|session)|(?:the )?(?:current|previous) (?:run|attempt|trial|session))\b|今天(?!的?日期)|昨天|明天|刚才|刚刚|本周|上周|本月|上个?月|今年|去年|(?:这|本|上)(?:一)?次(?:运行|尝试|任务|会话)/,
};

/** A tool or network that failed once, and a ban drawn from it. */
export const outage: RegExp =
  /\b(?:broken|down|offline|unavailable|unreachable|outage|time(?:d)? ?outs?|network (?:error|failure|problem)|connection (?:reset|refused|error|failed)|50[0234]|rate.?limit\w*|429)\b|超时|宕机|不可用|无法访问|连接(?:失败|错误|被拒)|网络(?:错误|故障|异常)|坏了|限流/;
export const ban: RegExp =
  /\b(?:never|do not|don't|stop|avoid|no longer) (?:ever )?(?:us(?:e|ing)|call(?:ing)?|rely(?:ing)?|trust(?:ing)?|try(?:ing)?)\b|(?:不要|别|勿|永不|禁止|避免|停止)(?:再)?(?:使用|调用|依赖|尝试|用)/;

/** Words that name no failure: what is left of a failure pattern without them must still say something. */
export const genericFailure: RegExp =
  /\b(?:wrong\w*|incorrect\w*|bad|poor|fail\w*|errors?|erroneous|mistak\w*|answers?|answered|results?|outputs?|responses?|tasks?|models?|agents?|llm|attempts?|something|went|issues?|problems?|unknown|none|n\/?a|not|no|correct\w*|right|good|enough|gave|given|made|got|produced|returned|did|does|work\w*|accurate\w*|inaccurate\w*|invalid|unsatisfactory|quality|general|various|again|very|completely|really|happened|occurred|evaluat\w*|verif\w*|rejected|pass\w*|tests?|final|because|he|she|i|we)\b|答案|回答|结果|输出|任务|模型|智能体|错误|失败|出错|有误|不对|不正确|不准确|不好|正确|问题|未知|没有|通过|完成|未能|尝试|评估|验证|最终|发生|出现|给出|得到|了|的|是|不|被|未/g;

/** Words of good intentions: what is left of a lesson without them must still be an action with an object. */
export const vagueAdvice: RegExp =
  /\b(?:be|being|careful\w*|caution|cautious\w*|attention|attentive|pay|better|best|harder|hard|more|most|very|really|carefully|properly|correct\w*|incorrect\w*|accurate\w*|accuracy|right|wrong\w*|good|try|trying|make|sure|ensure|think\w*|remember|always|never|never|focus\w*|improve\w*|mistak\w*|errors?|avoid\w*|do|doing|not|it|things?|everything|everywhere|anything|all|every|answers?|results?|outputs?|tasks?|questions?|details?|next|time|again|double|thorough\w*|diligent\w*|precise\w*|closely|work|job|quality|high|should|must|need|needs|please|just|only|also|future|well|step|steps|before|after|when|you|we|i|check\w*|verify|validate|review\w*)\b|小心|仔细|认真|注意|谨慎|细心|更加?|努力|确保|保证|避免|正确|准确|错误|出错|犯错|答案|回答|结果|任务|问题|细节|下次|以后|务必|一定|要|应该?|必须|需要|请|再|好好|思考|想想|检查|验证|核对|质量|每次|总是|所有|一切|地|的|了|得|多|些/g;

/** A sentence that tells what was, not what to do. */
export const narrative: RegExp =
  /^(?:the|a|an|this|that|these|those|there|it|its|i|we|he|she|they|my|our|his|her|their|some|no)\b|^[^,，:;]*\b(?:was|were|had been|failed|went wrong)\b|^(?:我|我们|他|她|它|这|那|该|模型|智能体|代理|答案|回答|结果)/;
export const obligation: RegExp = /\b(?:should(?! have)|must|need to|needs to|has to|have to)\b|应|须|必须|需要|要|请/;

export const negation: RegExp = /\b(?:not|never|don't|cannot|avoid\w*|without|no|stop)\b|不|勿|别|禁止|避免|切忌/;
/** Control, direction and tag characters and zero-width spaces; the joiners that emoji and Persian need are none of them. */
export const hidden: RegExp =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
/** Latin and Cyrillic letters inside one word: a look-alike that a pattern and a reader take for another word. */
export const mixedScript: RegExp = /\p{scx=Latn}\p{scx=Cyrl}|\p{scx=Cyrl}\p{scx=Latn}/u;
