/*
 * Copyright 2021 CloudWeGo Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

namespace go thrift.tenant

enum ErrorCode {
    SUCCESS = 0
    FAILURE = 1
}

struct Info {
    1: map<string,string> Map
    2: i64 ID
}

struct EchoRequest {
    1: string Msg
    2: i8 I8
    3: i16 I16
    4: i32 I32
    5: i64 I64
    6: binary Binary
    7: map<string,string> Map
    8: set<string> Set
    9: list<string> List
    10: ErrorCode ErrorCode
    11: Info Info
}

struct EchoResponse {
    1: string Msg
    2: i8 I8
    3: i16 I16
    4: i32 I32
    5: i64 I64
    6: binary Binary
    7: map<string,string> Map
    8: set<string> Set
    9: list<string> List
    10: ErrorCode ErrorCode
    11: Info Info
}

service TestCancelService {
    EchoResponse CancelBidi(1: EchoRequest request) (streaming.mode="bidirectional"),
    EchoResponse CancelClient(1: EchoRequest request) (streaming.mode="client"),
    EchoResponse CancelServer(1: EchoRequest request) (streaming.mode="server"),
}

service TestTimeoutService {
    EchoResponse RecvTimeoutBidi(1: EchoRequest request) (streaming.mode="bidirectional"),
    EchoResponse RecvTimeoutClient(1: EchoRequest request) (streaming.mode="client"),
    EchoResponse RecvTimeoutServer(1: EchoRequest request) (streaming.mode="server"),
}

service EchoService {
    EchoResponse Echo(1: EchoRequest request);
    oneway void EchoOneway(1: EchoRequest request);
    EchoResponse EchoBidi(1: EchoRequest request) (streaming.mode="bidirectional"),
    EchoResponse EchoClient(1: EchoRequest request) (streaming.mode="client"),
    EchoResponse EchoServer(1: EchoRequest request) (streaming.mode="server"),
}
