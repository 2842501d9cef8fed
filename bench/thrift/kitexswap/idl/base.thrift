// What services of a company share.
namespace go base

struct BaseReq {
  1: string log_id
  2: optional map<string, string> extra
}

struct BaseResp {
  1: i32 status_code = 0
  2: string status_message = "ok"
}

exception NotFound {
  1: i64 id
  2: optional string reason
}

service Health {
  BaseResp ping(1: BaseReq req)
}
